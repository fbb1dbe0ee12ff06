// C11's threads and locks by POSIX's, for programs under TSan: it knows nothing of the former, and
// a thread of librdkafka's that it did not see begin crashes in it. In glibc the types are the
// same.
#include <cerrno>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <threads.h>

namespace {

struct Begun {
  thrd_start_t start;
  void* argument;
};

void* Run(void* begun) {
  const std::unique_ptr<Begun> own(static_cast<Begun*>(begun));
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(own->start(own->argument)));
}

int Told(int error) { return error == 0 ? thrd_success : thrd_error; }
pthread_mutex_t* Posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* Posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  auto begun = std::make_unique<Begun>(Begun{start, argument});
  const int error = pthread_create(thread, nullptr, &Run, begun.get());
  if (error == 0) begun.release();
  return Told(error);
}

int thrd_join(thrd_t thread, int* result) {
  void* returned = nullptr;
  const int error = pthread_join(thread, &returned);
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(returned));
  return Told(error);
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  }
  const int error = pthread_mutex_init(Posix(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return Told(error);
}
int mtx_lock(mtx_t* mutex) { return Told(pthread_mutex_lock(Posix(mutex))); }
int mtx_unlock(mtx_t* mutex) { return Told(pthread_mutex_unlock(Posix(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(Posix(mutex)); }

int cnd_init(cnd_t* condition) { return Told(pthread_cond_init(Posix(condition), nullptr)); }
int cnd_signal(cnd_t* condition) { return Told(pthread_cond_signal(Posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return Told(pthread_cond_broadcast(Posix(condition))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return Told(pthread_cond_wait(Posix(condition), Posix(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  const int error = pthread_cond_timedwait(Posix(condition), Posix(mutex), until);
  return error == ETIMEDOUT ? thrd_timedout : Told(error);
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(Posix(condition)); }

}  // extern "C"
