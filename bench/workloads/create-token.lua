-- One token of 200 bytes a request.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")
wrk.method = "POST"
wrk.path = "/tokens"
wrk.body = '{"type":"token","data":{"note":"' .. string.rep("x", 200) .. '"}}'
