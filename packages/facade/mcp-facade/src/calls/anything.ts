// A schema for the SDK that takes a message as it is: it goes to a server or a client that knows what it wants.
export const anything = {
  '~standard': { version: 1, vendor: 'portico', validate: (value: unknown) => ({ value }) },
} as const;
