-- GETs of paths, one a line of a file, in turn over all connections.
-- wrk -t1 … -s paths.lua URL -- FILE [FIRST]: FIRST, from 0, is the line to begin with.
local folder = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(folder .. "report.lua")

local requests = {}
local turn = 0

function init(args)
  for path in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
  turn = (tonumber(args[2]) or 0) % #requests
end

function request()
  local next = requests[turn + 1]
  turn = (turn + 1) % #requests
  return next
end
