/** An attempt was the only one under way when its process ran out of memory. */
export class OutOfMemory extends Error {
  override readonly name = "OutOfMemory";

  constructor() {
    super(
      "the process ran out of memory while it carried out nothing else; a smaller scenario, or more memory (NODE_OPTIONS=--max-old-space-size=<MB>), may help",
    );
  }
}
