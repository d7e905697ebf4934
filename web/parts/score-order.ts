/** Overall and success first, the rest by name. */
export const overallFirst = (left: string, right: string): number =>
  rank(left) - rank(right) || left.localeCompare(right);

const rank = (name: string): number => {
  const place = ["overall", "success"].indexOf(name);
  return place === -1 ? 2 : place;
};
