// Loaded with `--import` into a measured process: reports its CPU and memory when its parent asks, and ends the process
// when the parent is gone.

export interface Usage {
  /** CPU time of all threads, since the start. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  /** Includes memory outside the heap. */
  readonly heapBytes: number;
}

process.on("message", (ask: unknown) => {
  if (ask !== "usage" && ask !== "usage after a collection") return;
  if (ask !== "usage") globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const usage: Usage = { cpuMicroseconds: user + system, residentBytes: rss, heapBytes: heapUsed + external };
  process.send?.(usage);
});
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
