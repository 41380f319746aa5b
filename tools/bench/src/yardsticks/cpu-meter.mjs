// Loaded into a process before its own code: reports to its parent over IPC, on request, how long it was on a core so
// far, in microseconds. It keeps no process running.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.channel.unref();
