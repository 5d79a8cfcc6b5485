/** CPU of this process since `before`: unlike the clock it does not count what other processes take. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
