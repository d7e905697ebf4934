/** A file knows no names behind the ids. */
export const useModelName = () => (id: string) => id;
