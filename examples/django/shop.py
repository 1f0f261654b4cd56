"""The shop as a Django server in one file: python3 shop.py. It serves the pages of ../javascript."""

import json
import os
from pathlib import Path

import django
import requests
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

VAULT_URL, ELEMENTS_URL = os.environ["VAULT_URL"], os.environ["ELEMENTS_URL"]
PAGES = Path(__file__).resolve().parent.parent / "javascript"
POLICY = (
    f"default-src 'none'; script-src 'self' {ELEMENTS_URL}; style-src 'self'; img-src data:; "
    f"connect-src 'self' {ELEMENTS_URL}; frame-src {ELEMENTS_URL}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The card of the customer. Your server knows who is signed in, and keeps the id of the token in its database.
customer = {"card": os.environ.get("CARD_ID")}


def call_vault(key, method, target, body=None):
    response = requests.request(method, VAULT_URL + target, headers={"BT-API-KEY": os.environ[key]}, json=body, timeout=30)
    response.raise_for_status()
    return response.json() if response.content else None


def authorize(key, nonce, rule):
    call_vault(key, "POST", "/sessions/authorize", {"nonce": nonce, "rules": [rule], "origin": "elements"})


# The pages send JSON from their own origin, which foreign pages cannot do. With sessions of your own, use Django's tokens.
@csrf_exempt
@require_POST
def checkout_session(request):
    """Lets the session of a page store one customer's card: it can create tokens, and nothing else."""
    rule = {"description": "One checkout", "priority": 1, "container": "/pci/high/", "transform": "mask"}
    authorize("PRIVATE_KEY", json.loads(request.body)["nonce"], {**rule, "permissions": ["token:create"]})
    return JsonResponse({})


@csrf_exempt
@require_POST
def orders(request):
    """Takes an order that names a token. The key of the shop sees the card masked."""
    token_id = json.loads(request.body)["token_id"]
    card = call_vault("PRIVATE_KEY", "GET", "/tokens/" + requests.utils.quote(token_id, safe=""))["card"]
    customer["card"] = token_id
    return JsonResponse({"status": "paid", "card": f"{card['brand']} •••• {card['last4']}"})


@csrf_exempt
@require_POST
def card_session(request):
    """Lets the session of a page see the customer's own card, and no other."""
    conditions = [{"attribute": "id", "operator": "equals", "value": customer["card"]}]
    rule = {"description": "Show a card to its owner", "priority": 1, "conditions": conditions, "transform": "reveal"}
    authorize("REVEAL_KEY", json.loads(request.body)["nonce"], {**rule, "permissions": ["token:read"]})
    return JsonResponse({"token_id": customer["card"]})


def page(name):
    """Serves a page with the key, and with the script of the fields by its version and hash."""

    def view(request):
        manifest = requests.get(f"{ELEMENTS_URL}/elements/manifest.json", timeout=30).json()
        text = (PAGES / name).read_text(encoding="utf-8")
        text = text.replace("%CLIENT_URL%", f"{ELEMENTS_URL}/elements/{manifest['version']}/client.js")
        text = text.replace("%CLIENT_INTEGRITY%", manifest["files"]["client.js"])
        text = text.replace("%PUBLIC_KEY%", os.environ["SHOP_KEY"])
        return HttpResponse(text, headers={"Content-Security-Policy": POLICY})

    return view


def file(name, content_type):
    return lambda request: HttpResponse((PAGES / name).read_text(encoding="utf-8"), content_type=content_type)


urlpatterns = [
    path("", page("checkout.html")),
    path("card.html", page("card.html")),
    path("checkout.js", file("checkout.js", "text/javascript")),
    path("card.js", file("card.js", "text/javascript")),
    path("shop.css", file("shop.css", "text/css")),
    path("checkout-session", checkout_session),
    path("orders", orders),
    path("card-session", card_session),
]

if __name__ == "__main__":
    settings.configure(ROOT_URLCONF=__name__, SECRET_KEY=os.urandom(32).hex(), ALLOWED_HOSTS=["localhost"])
    django.setup()
    execute_from_command_line(["shop.py", "runserver", "--noreload", os.environ.get("SHOP_PORT", "3000")])
