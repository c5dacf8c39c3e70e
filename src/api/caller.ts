/** Who calls, and what they may do. */

export type Scope = 'surveys:read' | 'surveys:write' | 'surveys:delete' | 'hxl:read' | 'hxl:write' | 'users:manage';

/** A role is a set of scopes; the contract says which scope an operation asks for. */
const scopes = {
  admin: ['surveys:read', 'surveys:write', 'surveys:delete', 'hxl:read', 'hxl:write', 'users:manage'],
  manager: ['surveys:read', 'surveys:write', 'surveys:delete', 'hxl:read', 'hxl:write'],
  user: ['surveys:read', 'hxl:read'],
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof scopes;
export const roles = Object.keys(scopes) as Role[];

const scopesOf = new Map<string, ReadonlySet<string>>(roles.map((role) => [role, new Set(scopes[role])]));

/** A user at the other end of a request. A role that this version does not know may do nothing. */
export class Caller {
  readonly id: number;
  readonly role: string;
  readonly scopes: ReadonlySet<string>;
  /** When the credentials of this caller expire, in milliseconds since 1970. */
  readonly expires: number;

  constructor(user: { id: number; role: string; expires?: number }) {
    this.id = user.id;
    this.role = user.role;
    this.scopes = scopesOf.get(user.role) ?? new Set();
    this.expires = user.expires ?? Infinity;
  }

  may(scope: Scope): boolean {
    return this.scopes.has(scope);
  }
}

/** Who calls an operation that needs no credentials, without any. */
export const nobody = new Caller({ id: 0, role: 'nobody' });
