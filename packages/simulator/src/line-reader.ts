// Lines of stdin, split at LF alone. The protocol package has the splitter for untrusted and endless input; this one reads
// what a host writes to us, and keeps the whole of that package out of the way of a quick start.
export class LineReader {
  #rest: Buffer[] = [];

  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      lines.push(Buffer.concat([...this.#rest, chunk.subarray(from, at)]).toString("utf8"));
      this.#rest = [];
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
    return lines;
  }

  end(): readonly string[] {
    const last = Buffer.concat(this.#rest).toString("utf8");
    this.#rest = [];
    return last === "" ? [] : [last];
  }
}
