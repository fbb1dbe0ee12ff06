-- A full batch a request. The bodies are made once, so that wrk has little to do while it measures.
local folder = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(folder .. "report.lua")

local USERS = 1000000
local EVENTS = 1000
local BODIES = 16

local requests = {}
local turn = 0

local function body()
  local events = {}
  for i = 1, EVENTS do
    local subject = math.random(USERS)
    local object = (subject + math.random(USERS - 1) - 1) % USERS + 1 -- never the subject
    events[i] = string.format('{"type":"follow","subject":"%d","object":"%d"}', subject, object)
  end
  return '{"events":[' .. table.concat(events, ",") .. "]}"
end

function init()
  math.randomseed(os.time())
  for i = 1, BODIES do
    requests[i] = wrk.format("POST", "/v1/events", { ["Content-Type"] = "application/json" }, body())
  end
end

function request()
  turn = turn % BODIES + 1
  return requests[turn]
end
