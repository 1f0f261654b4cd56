-- A document of a hundred values, each of which becomes a token.
dofile(os.getenv("BENCH_WORKLOADS") .. "/common.lua")
wrk.method = "POST"

function request()
  local values = {}
  for index = 1, 100 do
    values[index] = '"value ' .. string.format("%010d", math.random(0, 2147483646)) .. ' number ' .. index .. '"'
  end
  return wrk.format(nil, "/tokenize", nil, "[" .. table.concat(values, ",") .. "]")
end
