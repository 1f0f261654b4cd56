-- One card a request, each with a number of its own.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")
wrk.method = "POST"

function request()
  local body = '{"type":"card","data":{"number":"' .. anyCardNumber() .. '","expiration_month":12,"expiration_year":2030}}'
  return wrk.format(nil, "/tokens", nil, body)
end
