// Recorded verdicts that the check does not predict, each with its cause. Each is stricter than the CLI: the check never allows what the
// CLI asks or denies. The agreement test fails when this table is out of date.

export interface KnownDifference {
  readonly cause: string;
  /** `<case> <version>`, or `<case>` for all versions that have a verdict. */
  readonly cases: readonly string[];
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    cause:
      "The line is not whole: a quote is not closed, or nothing follows an operator. The shell refuses it, so the check does not allow it.",
    cases: ["bw-31", "qhb-28", "qhb-29", "qhb-30"],
  },
  {
    cause: "The CLI takes a no-break space for a space, the shell does not.",
    cases: ["tx-10 2.1.38"],
  },
  {
    cause: "The CLI does not see a denied program behind a redirection at the start of the line. The check does.",
    cases: ["qsh-10 2.1.38", "qsh-10 2.1.200"],
  },
  {
    cause: "The CLI does not see a program behind `time -p`. The check does.",
    cases: ["qsj-10 2.1.200", "qsm-04 2.1.200", "qst-11 2.1.200", "qsu-07 2.1.200"],
  },
  {
    cause: "The CLI does not look into the value of an exported variable or into a coprocess. The check does.",
    cases: ["qsl-04 2.1.200", "qsf-27 2.1.325"],
  },
  {
    cause: "The CLI does not understand an escaped space in a path, so its deny rule does not hold. The check's does.",
    cases: ["qpb-26 2.1.38"],
  },
  {
    cause: "The oldest CLI runs some git commands unasked that reach a server or write. The check asks.",
    cases: ["qob-28 2.1.38", "qob-51 2.1.38"],
  },
  {
    cause: "The same line asks in other modes. A variable set from a command is not taken for checked.",
    cases: ["qsv-08 2.1.325"],
  },
  {
    cause: "The CLI does not read text with escape codes, so it asks where the check sees a denied word.",
    cases: ["qhb-19 2.1.325"],
  },
];
