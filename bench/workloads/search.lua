-- One token by the value of its search index.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")
wrk.method = "POST"

function request()
  local email = "person-" .. math.random(0, tonumber(os.getenv("BENCH_TOKENS")) - 1) .. "@example.com"
  return wrk.format(nil, "/tokens/search", nil, '{"query":"data:\\"' .. email .. '\\""}')
end
