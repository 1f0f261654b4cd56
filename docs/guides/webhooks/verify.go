package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"
)

// isFromVault returns true if the vault sent this body with these headers, in the last five minutes.
func isFromVault(secret string, headers map[string]string, body string) bool {
	timestamp, err := strconv.ParseFloat(headers["webhook-timestamp"], 64)
	if err != nil || math.Abs(float64(time.Now().Unix())-timestamp) > 300 {
		return false
	}
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + body))
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(headers["webhook-signature"], " ") {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true
		}
	}
	return false
}
