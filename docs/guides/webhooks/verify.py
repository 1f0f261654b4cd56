import base64, hashlib, hmac, time


def is_from_vault(secret: str, headers: dict, body: bytes) -> bool:
    """Returns true if the vault sent this body with these headers, in the last five minutes."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or len(timestamp) > 15 or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, given.encode()) for given in headers.get("webhook-signature", "").split(" "))
