-- The first page of all tokens.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")

function request()
  return wrk.format("GET", "/tokens?size=20")
end
