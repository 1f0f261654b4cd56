-- What wrk sends: one card a request.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["BT-API-KEY"] = os.getenv("BENCH_KEY")
wrk.body = '{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}'
