interface TrustedTypePolicies {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): unknown;
}

/**
 * The page's policy lets scripts and workers start only from addresses a policy of ours has seen.
 * This is the only one: code comes from this origin or not at all.
 */
export function trustOwnScripts(): void {
  const policies = (globalThis as { trustedTypes?: TrustedTypePolicies }).trustedTypes;
  policies?.createPolicy("default", {
    createScriptURL(url) {
      if (new URL(url, location.href).origin !== location.origin)
        throw new TypeError("Scripts from elsewhere are refused.");
      return url;
    },
  });
}
