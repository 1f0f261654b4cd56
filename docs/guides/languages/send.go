package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strconv"
	"time"
)

// Object is a JSON object, or the headers of a call.
type Object map[string]any

var client = &http.Client{Timeout: 30 * time.Second}

// send makes a call and returns the response and its body.
func send(method, url string, headers Object, body any) (*http.Response, []byte) {
	content := &bytes.Buffer{}
	if body != nil {
		if err := json.NewEncoder(content).Encode(body); err != nil {
			log.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, url, content)
	if err != nil {
		log.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		request.Header.Set(name, value.(string))
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	return response, received
}

// member reads a text of a JSON document, such as the id of a token. It follows names of members and positions in lists.
func member(document []byte, path ...string) string {
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		log.Fatal(err)
	}
	for _, name := range path {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[name]
		case []any:
			position, _ := strconv.Atoi(name)
			value = parent[position]
		}
	}
	text, _ := value.(string)
	return text
}
