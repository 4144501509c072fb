/** The meaning of a color: brass needs a person, sea works, go went well, stop went wrong, think thinks. */
export type Tone = "brass" | "sea" | "go" | "stop" | "think" | "plain";
