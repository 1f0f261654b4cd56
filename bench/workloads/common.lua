-- What all loads share: the key, keep-alive, and one line of JSON at the end.
wrk.headers["BT-API-KEY"] = os.getenv("BENCH_KEY")
wrk.headers["Content-Type"] = "application/json"
local ratePerConnection = tonumber(os.getenv("BENCH_RATE_PER_CONNECTION") or "0")

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("seed", os.time() * 1000 + threads + tonumber(os.getenv("BENCH_SEED") or "0"))
end

function init()
  math.randomseed(seed)
end

-- At a given rate arrivals are those of many independent clients: the pauses between them are exponential.
if ratePerConnection > 0 then
  function delay()
    return -math.log(1 - math.random()) * 1000 / ratePerConnection
  end
end

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('RESULT {"requests":%d,"microseconds":%d,"failed":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99)))
end

function anyCard()
  return "card-" .. math.random(0, tonumber(os.getenv("BENCH_TOKENS")) - 1)
end

-- A card number that passes the check, another one each time.
function anyCardNumber()
  local digits = {4}
  local sum = 8
  for index = 2, 15 do
    local digit = math.random(0, 9)
    digits[index] = digit
    if index % 2 == 1 then
      digit = digit * 2
      if digit > 9 then digit = digit - 9 end
    end
    sum = sum + digit
  end
  digits[16] = (10 - sum % 10) % 10
  return table.concat(digits)
end
