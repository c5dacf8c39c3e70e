/** The operations of the contract, with all references resolved: tests that go through them cover new ones for free. */
import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import document from '../../src/generated/openapi.json' with { type: 'json' };

const backend = await new OpenAPIBackend({
  definition: document as unknown as Document,
  quick: true,
  validate: false,
}).init();

export const operations = backend.router.getOperations() as (Operation & { operationId: string })[];

/** Whether an operation may be called without credentials. */
export function isOpen({ security = [] }: Operation): boolean {
  return security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0);
}
