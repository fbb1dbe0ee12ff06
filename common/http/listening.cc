#include "common/http/listening.h"

#include <boost/asio/io_context.hpp>

namespace fanfold::http {

namespace asio = boost::asio;
using asio::ip::tcp;

boost::system::error_code TryExclusively(const tcp::endpoint& endpoint) {
  asio::io_context io;
  tcp::acceptor acceptor(io);
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  return error;
}

PeerAddress PeerOf(const tcp::socket& socket) {
  boost::system::error_code error;
  const asio::ip::address address = socket.remote_endpoint(error).address();
  if (error) return {};
  return {address.is_v6()
              ? address.to_v6().to_bytes()
              : asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes()};
}

}  // namespace fanfold::http
