/** Asks for one item more than was taken, so that whoever makes them works while the last one is used. */
export async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    let coming = items.next();
    for (;;) {
      const { done, value } = await coming;
      if (done) return;
      coming = items.next();
      // It is awaited in the next round, unless the reader stops before that: then nobody is left to be told.
      coming.catch(() => {});
      yield value;
    }
  } finally {
    await items.return(undefined);
  }
}
