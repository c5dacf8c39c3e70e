/** Links from one page of a list to the others (RFC 8288). */

/** The relations of pages (RFC 5988, and the registry of IANA). */
export interface PageLinks {
  first: string;
  prev?: string | undefined;
  next?: string | undefined;
}

/** The value of the header `Link`. */
export function linkHeader(links: PageLinks): string {
  return Object.entries(links)
    .filter(([, address]) => address !== undefined)
    .map(([relation, address]) => `<${address}>; rel="${relation}"`)
    .join(', ');
}

/** An address with these parameters; those that are undefined are left out. */
export function address(url: string, query: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return `${url}?${given}`;
}
