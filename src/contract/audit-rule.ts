/**
 * How many items an audit needs to pass a judge, and how many of them must be of another choice than people's most frequent one, on
 * which kappa rests.
 */
export const auditRule = { items: 20, others: 5 } as const;
