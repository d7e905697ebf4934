/** What a run is called. A name that is empty or blank leaves nothing to press or to read out. */
export const runName = ({ test_name: name }: { readonly test_name: string }): string =>
  name.trim() === "" ? "(no name)" : name;
