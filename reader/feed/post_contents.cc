#include "reader/feed/post_contents.h"

#include <utility>

namespace fanfold::reader {
namespace {

std::size_t BytesOf(const PostContent& content) {
  return PostContents::kPostBytes + content.content.capacity();
}

}  // namespace

PostContents::PostContents(std::size_t bytes_max, Metrics& metrics)
    : stripe_bytes_max_(bytes_max / kStripes),
      hits_(metrics.GetCounter("fanfold_reader_contents_hits_total",
                               "Contents of posts found in memory")),
      misses_(metrics.GetCounter("fanfold_reader_contents_misses_total",
                                 "Contents of posts that were not found in memory")),
      evictions_(metrics.GetCounter("fanfold_reader_contents_evictions_total",
                                    "Contents of posts that left memory for want of room")) {}

void PostContents::Stripe::Forget(const Id& id) {
  const auto held = posts.find(id);
  if (held == posts.end()) return;
  bytes -= BytesOf(*held->second.content);
  by_use.erase(held->second.place);
  posts.erase(held);
}

std::vector<PostContentPtr> PostContents::Find(std::span<const FeedKey> keys) {
  std::vector<PostContentPtr> contents(keys.size());
  std::size_t hits = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Id id{keys[i].author, keys[i].post};
    Stripe& stripe = stripes_[StripeOf(id)];
    const std::scoped_lock lock(stripe.mutex);
    const auto held = stripe.posts.find(id);
    if (held == stripe.posts.end()) continue;
    stripe.by_use.splice(stripe.by_use.end(), stripe.by_use, held->second.place);
    contents[i] = held->second.content;
    ++hits;
  }
  hits_.Add(static_cast<double>(hits));
  misses_.Add(static_cast<double>(keys.size() - hits));
  return contents;
}

PostContents::Ticket PostContents::NewTicket() const {
  Ticket ticket;
  for (std::size_t i = 0; i < kStripes; ++i) {
    const std::scoped_lock lock(stripes_[i].mutex);
    ticket.drops_[i] = stripes_[i].drops;
  }
  return ticket;
}

void PostContents::Put(const Ticket& ticket, const FeedKey& key, PostContentPtr content) {
  const Id id{key.author, key.post};
  const std::size_t number = StripeOf(id);
  Stripe& stripe = stripes_[number];
  const std::scoped_lock lock(stripe.mutex);
  if (ticket.drops_[number] != stripe.drops) return;
  const auto [held, is_new] = stripe.posts.try_emplace(id);
  if (!is_new) return;
  stripe.bytes += BytesOf(*content);
  held->second = {std::move(content), stripe.by_use.insert(stripe.by_use.end(), id)};
  while (stripe.bytes > stripe_bytes_max_) {
    stripe.Forget(Id(stripe.by_use.front()));
    evictions_.Add(1);
  }
}

void PostContents::Drop(UserId author, PostId post) {
  const Id id{author, post};
  Stripe& stripe = stripes_[StripeOf(id)];
  const std::scoped_lock lock(stripe.mutex);
  ++stripe.drops;
  stripe.Forget(id);
}

std::size_t PostContents::bytes() const {
  std::size_t bytes = 0;
  for (const Stripe& stripe : stripes_) {
    const std::scoped_lock lock(stripe.mutex);
    bytes += stripe.bytes;
  }
  return bytes;
}

}  // namespace fanfold::reader
