// Package clients has what the round trips share.
package clients

import (
	"fmt"
	"strings"
)

// Must gives back what an operation answered and ends the round trip when it failed.
func Must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

// Check ends the round trip when something is not as it has to be.
func Check(holds bool, what string) {
	if !holds {
		panic("It does not hold that " + what + ".")
	}
}

// Problem is one problem of a refusal as the transcript tells it.
func Problem(code, pointer string) string {
	if pointer == "" {
		return code
	}
	return code + " at " + pointer
}

// Refused tells a refusal.
func Refused(status int, problems []string) {
	fmt.Println(status, strings.Join(problems, ", "))
}
