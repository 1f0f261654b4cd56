-- One card a request, each with a number of its own, that is looked for before it is stored.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")
wrk.method = "POST"

function request()
  local body = '{"type":"card","deduplicate_token":true,"data":{"number":"' .. anyCardNumber() .. '","expiration_month":12,"expiration_year":2030}}'
  return wrk.format(nil, "/tokens", nil, body)
end
