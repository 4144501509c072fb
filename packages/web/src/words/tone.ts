/** What a color says. `brass`: needs a person. `sea`: works. `go`: success. `stop`: failure. `think`: thinks. */
export type Tone = "brass" | "sea" | "go" | "stop" | "think" | "plain";
