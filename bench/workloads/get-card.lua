-- Any card of those that were there from the start.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")

function request()
  return wrk.format("GET", "/tokens/" .. anyCard())
end
