// Preloaded into a daemon (`node --import`): a defect on demand. Writing the result of a call of one trace fails, as if
// the code that does it were broken. Everything else works as it is.
const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) => {
  const isAnswer = value?.ok === true && value.trace_id === process.env.DEFECT_TRACE_ID;
  // Where the data is passed on as text, the members around it are written one by one.
  const isAround = value === process.env.DEFECT_TRACE_ID && /envelopeText/.test(new Error().stack ?? '');
  if (isAnswer || isAround) throw new Error('a defect on demand');
  return stringify(value, ...rest);
};
