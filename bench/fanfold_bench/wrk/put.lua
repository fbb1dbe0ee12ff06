-- One follow a request: users at random, so that partitions and keys are spread.
local folder = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(folder .. "report.lua")

local USERS = 1000000

function init()
  math.randomseed(os.time())
end

function request()
  local subject = math.random(USERS)
  local object = (subject + math.random(USERS - 1) - 1) % USERS + 1 -- never the subject
  return wrk.format("PUT", "/v1/users/" .. subject .. "/following/" .. object)
end
