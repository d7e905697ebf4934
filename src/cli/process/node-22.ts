// Additions that Node 22 needs before all else: the parts of the language that it lacks and we use, `DisposableStack` and `AsyncDisposableStack`,
// and silence about `node:sqlite`, which was still called experimental.

class Stack {
  readonly #work: (() => unknown)[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use<Value extends Partial<Disposable & AsyncDisposable> | null | undefined>(value: Value): Value {
    const dispose = value?.[Symbol.asyncDispose] ?? value?.[Symbol.dispose];
    if (value && !dispose) throw new TypeError("The value cannot be disposed of");
    if (value && dispose) this.#work.push(() => dispose.call(value));
    return value;
  }

  adopt<Value>(value: Value, dispose: (value: Value) => unknown): Value {
    this.#work.push(() => dispose(value));
    return value;
  }

  defer(dispose: () => unknown): void {
    this.#work.push(dispose);
  }

  move(): this {
    const moved = new (this.constructor as new () => this)();
    for (const work of this.#work.splice(0)) moved.defer(work);
    this.#disposed = true;
    return moved;
  }

  /** The last added first. All are tried, and the last error is thrown. */
  protected *takeWork(): Generator<() => unknown> {
    this.#disposed = true;
    for (let work = this.#work.pop(); work; work = this.#work.pop()) yield work;
  }
}

class SyncStack extends Stack {
  dispose(): void {
    const errors: unknown[] = [];
    for (const work of this.takeWork()) {
      try {
        work();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors.at(-1);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

class AsyncStack extends Stack {
  async disposeAsync(): Promise<void> {
    const errors: unknown[] = [];
    for (const work of this.takeWork()) {
      try {
        await work();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors.at(-1);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

Object.assign(globalThis, {
  DisposableStack: globalThis.DisposableStack ?? SyncStack,
  AsyncDisposableStack: globalThis.AsyncDisposableStack ?? AsyncStack,
});

const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
process.emitWarning = (warning: string | Error, ...given: unknown[]): void => {
  if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning(warning, ...given);
};
