// Bytes that event streams hold for connections in front of their sockets, which do not count them.

export class HeldBytes {
  readonly #connections = new WeakMap<Request, object>();
  readonly #bytes = new WeakMap<object, number>();

  /** Notes the connection by which a request came. */
  cameBy(request: Request, connection: object): void {
    this.#connections.set(request, connection);
  }

  /** Adds to what is held for the connection of a request; nothing for one whose connection is not known. */
  add(request: Request, bytes: number): void {
    const connection = this.#connections.get(request);
    if (connection !== undefined) this.#bytes.set(connection, this.of(connection) + bytes);
  }

  /** Bytes that are held for a connection. */
  of(connection: object): number {
    return this.#bytes.get(connection) ?? 0;
  }
}
