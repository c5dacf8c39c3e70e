/** HXL reference data, metadata and organisations, as a client sees them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Role } from '../../src/api/caller.ts';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import { grantToken } from '../../src/users/store.ts';
import { problems, service, type TestResponse, testService } from '../support/service.ts';

const base = '/api/v3/hxl';
const origin = 'http://service.test';
const flood = {
  dataset_title: 'Piura: people displaced by flooding, March 2025',
  license_id: 1,
  organisation_id: 'red-humanitaria-norte',
  organisation_name: 'Red Humanitaria del Norte',
  source: 'Rapid flood assessment',
  private: false,
};

type Service = Awaited<ReturnType<typeof service>>;
type Send = Service['send'];

/** Creates a metadata record, which must succeed. */
async function create(send: Send, members: object = {}, as: Role = 'manager') {
  const { status, json } = await send('POST', `${base}/metadata`, { ...flood, ...members }, { as });
  expect([status, json.errors]).toEqual([201, undefined]);
  return json;
}

const list = async (send: Send, listing: string, as: Role = 'admin') =>
  (await send('GET', `${base}/${listing}`, undefined, { as })).json;
const titles = (page: any) => page.results.map((record: any) => record.dataset_title);
const query = (members: Record<string, string>) => new URLSearchParams(members).toString();

/** The path that a link of this service leads to. */
function pathOf(link: string): string {
  expect(link).toMatch(/^http:\/\/service\.test\/api\/v3\//);
  return link.slice(origin.length);
}

/** Another user of this role, as something to send requests with. */
async function another({ app, db }: Service, role: Role, name = `another ${role}`): Promise<Send> {
  const authorization = `Bearer ${await grantToken(db, name, role, null)}`;
  return async (method, url, payload) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { authorization },
      ...(payload === undefined ? {} : { payload: payload as object }),
    });
    return { status: response.statusCode, headers: response.headers, text: response.body, json: response.json() };
  };
}

describe('reference data', () => {
  let shared: Service;
  let send: Send;
  beforeAll(async () => {
    shared = await service();
    send = shared.send;
    await create(send);
    await create(send, {
      dataset_title: 'Shelters',
      organisation_id: 'Shelter & co',
      organisation_name: 'Shelter',
      private: true,
      license_id: 8,
    });
    await create(send, {
      dataset_title: 'Albergues',
      organisation_id: 'acme',
      organisation_name: 'Acme',
      source: 'Who does what',
      license_id: 3,
    });
    await create(send, {
      dataset_title: 'مواقع الإيواء',
      organisation_id: 'acme',
      organisation_name: 'ACME',
      license_id: 2,
      private: true,
    });
    await create(
      send,
      {
        dataset_title: 'Albergues',
        organisation_id: 'Zeta',
        organisation_name: 'Zeta',
        source: 'Census',
        license_id: 2,
      },
      'admin',
    );
    await create(
      send,
      { dataset_title: 'Wells', organisation_id: 'acme', organisation_name: 'Acme', source: 'Census' },
      'admin',
    );
  });
  afterAll(() => shared.close());

  test('the 44 tag names come in their order', async () => {
    const { status, json } = await send('GET', base, undefined, { as: 'user' });
    expect([status, Object.keys(json), json.hxl.length]).toEqual([200, ['hxl'], 44]);
    expect(json.hxl.slice(0, 8)).toEqual([
      'population',
      'affected',
      'inneed',
      'targeted',
      'reached',
      'value',
      'meta',
      'status',
    ]);
    expect([json.hxl[21], json.hxl[42], json.hxl[43]]).toEqual(['country', 'geo', 'date']);
    expect((await list(send, 'tags')).results.map((tag: any) => tag.tag_name)).toEqual(json.hxl);
  });

  test('the 8 licences come in their order, those without an address with an empty link', async () => {
    const { results, total_count } = await list(send, 'licenses', 'user');
    expect(total_count).toBe(8);
    expect(results.map((license: any) => [license.id, license.code])).toEqual([
      [1, 'cc-by-igo'],
      [2, 'cc-by'],
      [3, 'cc-by-sa'],
      [4, 'hdx-odc-odbl'],
      [5, 'hdx-odc-by'],
      [6, 'hdx-pddl'],
      [7, 'other-pd-nr'],
      [8, 'hdx-multi'],
    ]);
    expect(results[1]).toEqual({
      id: 2,
      url: `${origin}${base}/licenses/2`,
      code: 'cc-by',
      name: 'Creative Commons Attribution',
      link: 'http://www.opendefinition.org/licenses/cc-by',
      allowed_privileges: ['read', 'search'],
    });
    expect(results.map((license: any) => license.link !== '')).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test('tags have numbered attributes, 848 in all, always as an object', async () => {
    const { results, total_count } = await list(send, 'tags', 'user');
    expect(total_count).toBe(44);
    const ids = new Set<number>();
    for (const tag of results) {
      expect(Object.keys(tag).sort()).toEqual([
        'allowed_privileges',
        'form_attribute_types',
        'hxl_attributes',
        'id',
        'tag_name',
        'url',
      ]);
      expect(Array.isArray(tag.hxl_attributes)).toBe(false);
      for (const [key, attribute] of Object.entries<any>(tag.hxl_attributes)) {
        expect(attribute).toEqual({
          hxl_tag_id: tag.id,
          id: Number(key),
          attribute: expect.stringMatching(/^\w+$/),
          description: expect.stringMatching(/\w.*\.$/),
        });
        expect(key).toMatch(/^[1-9]\d*$/);
        ids.add(attribute.id);
      }
    }
    expect(ids.size).toBe(848);
    expect(Object.values<any>(results[0].hxl_attributes)[0]).toMatchObject({
      attribute: 'f',
      description: 'Limits the column to women and girls.',
    });
    expect(Object.values<any>(results[42].hxl_attributes).map(({ attribute }) => attribute)).toEqual(['lat', 'lon']);
    expect(
      Object.values<any>(results[43].hxl_attributes)
        .map(({ attribute }) => attribute)
        .slice(0, 2),
    ).toEqual(['start', 'end']);
  });

  test('tags name the types of field they fit', async () => {
    const { results } = await list(send, 'tags');
    const types = (id: number) => results[id - 1].form_attribute_types.map((type: any) => type.form_attribute_type);
    expect(results[42].form_attribute_types).toEqual([{ form_attribute_type: 'point' }]);
    expect(types(1)).toEqual(['decimal', 'int', 'text', 'varchar', 'title', 'description']);
    expect(types(8)).toEqual(['text', 'varchar', 'title', 'description', 'media']);
    expect(types(44)).toEqual(['datetime']);
  });

  test('another database has the same tags, to the letter', async () => {
    const other = await testService();
    expect((await other.send('GET', `${base}/tags`)).text).toBe((await send('GET', `${base}/tags`)).text);
  });

  test.each([
    ['name=Creative Commons Attribution', ['cc-by']],
    ['name=CREATIVE commons ATTRIBUTION', ['cc-by']],
    ['name=Creative Commons', []],
    ['code=CC-BY-sa', ['cc-by-sa']],
    ['code=cc-by', ['cc-by']],
    ['code=cc-b_', []],
    ['code=%25', []],
    ['name=Multiple Licenses&code=hdx-multi', ['hdx-multi']],
    ['name=Multiple Licenses&code=cc-by', []],
    ['name=', []],
    ["code=' OR 1=1 --", []],
  ])('licences with %s are %j', async (filters, codes) => {
    const page = await list(send, `licenses?${filters.replaceAll(' ', '%20')}`);
    expect(page.results.map((license: any) => license.code)).toEqual(codes);
    expect([page.count, page.total_count]).toEqual([codes.length, codes.length]);
    for (const link of [page.curr, page.next, page.prev]) {
      expect(new URL(link).search).toContain(`&${query(Object.fromEntries(new URLSearchParams(filters)))}`);
      expect((await send('GET', pathOf(link))).json.total_count).toBe(codes.length);
    }
  });

  test.each(['licenses', 'tags', 'metadata', 'organisations'])(
    'the envelope of %s has all its members and no other',
    async (listing) => {
      expect(Object.keys(await list(send, listing)).sort()).toEqual([
        'count',
        'curr',
        'limit',
        'next',
        'offset',
        'order',
        'orderby',
        'prev',
        'results',
        'total_count',
      ]);
    },
  );

  test.each([
    ['', null, 0, 0, 0, 8],
    ['offset=3', null, 3, 3, 3, 5],
    ['limit=3', '3', 0, 3, 0, 3],
    ['limit=3&offset=2', '3', 2, 5, 0, 3],
    ['limit=3&offset=3', '3', 3, 6, 0, 3],
    ['limit=3&offset=7', '3', 7, 10, 4, 1],
    ['limit=8&offset=8', '8', 8, 16, 0, 0],
    ['limit=3&offset=100', '3', 100, 103, 97, 0],
    ['offset=100', null, 100, 100, 100, 0],
    ['limit=1000', '1000', 0, 1000, 0, 8],
    ['limit=1&offset=2147483646', '1', 2147483646, 2147483647, 2147483645, 0],
    ['limit=5&offset=2147483647', '5', 2147483647, 2147483647, 2147483642, 0],
  ])(
    'a page asked for by "%s" says limit %j, offset %i, next %i, prev %i, and holds %i',
    async (search, limit, offset, next, prev, count) => {
      const page = await list(send, `licenses?${search}`);
      const link = (start: number) =>
        `${origin}${base}/licenses?orderby=id&order=asc${limit === null ? '' : `&limit=${limit}`}&offset=${start}`;
      expect(page).toMatchObject({ limit, offset, count, total_count: 8, order: 'asc', orderby: 'id' });
      expect([page.curr, page.next, page.prev]).toEqual([link(offset), link(next), link(prev)]);
      for (const to of [page.curr, page.next, page.prev]) expect((await send('GET', pathOf(to))).status).toBe(200);
      expect(page.results.map((license: any) => license.id)).toEqual(
        Array.from({ length: count }, (_, index) => offset + index + 1),
      );
    },
  );

  test.each(['licenses', 'tags', 'metadata', 'organisations'])(
    'the next links of %s lead through all of it, and the prev links back',
    async (listing) => {
      const all = (await list(send, listing)).results;
      const seen: any[] = [];
      let page = await list(send, `${listing}?limit=5`);
      while (page.count > 0) {
        seen.push(...page.results);
        page = (await send('GET', pathOf(page.next))).json;
      }
      expect(seen).toEqual(all);
      for (let steps = 0; page.offset > 0 && steps < 20; steps += 1) page = (await send('GET', pathOf(page.prev))).json;
      expect(page.results).toEqual(all.slice(0, 5));
    },
  );

  test.each(['asc', 'desc', 'ASC', 'DESC', 'Desc'])(
    'the order may be written %s and is returned in lower case',
    async (order) => {
      const page = await list(send, `licenses?order=${order}&limit=2`);
      expect(page.order).toBe(order.toLowerCase());
      expect(page.results.map((license: any) => license.id)).toEqual(/desc/i.test(order) ? [8, 7] : [1, 2]);
      expect(page.curr).toContain(`order=${order.toLowerCase()}&`);
    },
  );

  const bad = [
    '1001',
    '-1',
    'abc',
    '0x10',
    '1e3',
    '%207',
    '7%20',
    '7.0',
    '',
    '%2B7',
    '%EF%BC%97',
    '99999999999999999999',
  ];
  test('a limit of 0 is none', async () => {
    for (const listing of ['licenses', 'tags', 'metadata', 'organisations']) {
      const [zero, none] = [await send('GET', `${base}/${listing}?limit=0`), await send('GET', `${base}/${listing}`)];
      expect([zero.status, zero.text]).toEqual([200, none.text]);
      expect(zero.headers.link).toBe(none.headers.link);
      expect(zero.json.limit).toBeNull();
    }
  });

  test.each(bad)('limit=%s is refused', async (limit) => {
    for (const listing of ['licenses', 'tags', 'metadata', 'organisations']) {
      const response = await send('GET', `${base}/${listing}?limit=${limit}`);
      expect([response.status, problems(response)]).toEqual([400, ['invalid_parameter limit']]);
      expect(response.json.errors[0].source).toEqual({ parameter: 'limit' });
    }
  });

  test.each([
    ['limit=1&limit=2', ['repeated_parameter limit']],
    ['offset=-1', ['invalid_parameter offset']],
    ['offset=1e3', ['invalid_parameter offset']],
    ['offset=', ['invalid_parameter offset']],
    ['offset=2147483648', ['invalid_parameter offset']],
    ['order=up', ['invalid_parameter order']],
    ['order=', ['invalid_parameter order']],
    ['order=ascending', ['invalid_parameter order']],
    ['name=a%00b', ['invalid_parameter name']],
    [`code=${'x'.repeat(256)}`, ['invalid_parameter code']],
    [
      'limit=-1&offset=x&order=up&orderby=nothing',
      ['invalid_parameter limit', 'invalid_parameter offset', 'invalid_parameter order', 'invalid_parameter orderby'],
    ],
  ])('?%s is refused with %j', async (search, expected) => {
    const response = await send('GET', `${base}/licenses?${search}`);
    expect([response.status, problems(response).sort()]).toEqual([400, expected]);
  });

  const listings = Object.entries(contract.paths).flatMap(([path, { get }]: [string, any]) => {
    const orderby =
      path.startsWith(`${base}/`) &&
      get?.parameters?.find((parameter: any) => /orderby/i.test(parameter.$ref ?? parameter.name));
    return orderby ? [[path.slice(base.length + 1), resolve(orderby).schema.enum as string[]] as const] : [];
  });
  function resolve(parameter: any) {
    return parameter.$ref ? (contract.components as any).parameters[parameter.$ref.split('/').at(-1)] : parameter;
  }

  test('every listing can be sorted by each scalar member', () => {
    expect(Object.fromEntries(listings)).toEqual({
      licenses: ['id', 'url', 'code', 'name', 'link'],
      tags: ['id', 'url', 'tag_name'],
      metadata: [
        'id',
        'url',
        'private',
        'dataset_title',
        'license_id',
        'organisation_id',
        'organisation_name',
        'source',
        'created',
        'updated',
      ],
      organisations: ['id', 'url', 'name', 'metadata_count'],
    });
  });

  test.each(listings.flatMap(([listing, members]) => members.map((member) => [listing, member] as const)))(
    '%s are sorted by %s, and by id among equals',
    async (listing, member) => {
      const { results } = await list(send, listing);
      // Records are numbered, and their addresses end with the number; organisations are not.
      const key = member === 'url' ? 'id' : member;
      const compare = (one: any, other: any) => (one < other ? -1 : one > other ? 1 : 0);
      const by = (sign: number) =>
        [...results].sort((one, other) => sign * compare(one[key], other[key]) || compare(one.id, other.id));
      expect(await list(send, `${listing}?orderby=${member}`)).toMatchObject({
        orderby: member,
        order: 'asc',
        results: by(1),
      });
      expect(await list(send, `${listing}?orderby=${member}&order=DESC`)).toMatchObject({
        orderby: member,
        order: 'desc',
        results: by(-1),
      });
    },
  );

  test.each(
    listings.flatMap(([listing]) =>
      [
        'nothing',
        'ID',
        '',
        'user',
        'user_id',
        'allowed_privileges',
        'hxl_attributes',
        'organisation_key',
        'rowid',
        'id desc',
      ].map((member) => [listing, member] as const),
    ),
  )('%s cannot be sorted by "%s"', async (listing, member) => {
    const response = await send('GET', `${base}/${listing}?orderby=${encodeURIComponent(member)}`);
    expect([response.status, problems(response)]).toEqual([400, ['invalid_parameter orderby']]);
  });

  test.each(['licenses', 'tags', 'metadata', 'organisations'])(
    'every address in %s leads somewhere, and to the record itself',
    async (listing) => {
      const page = await list(send, `${listing}?limit=50`);
      expect(page.count).toBeGreaterThan(0);
      for (const link of [page.curr, page.next, page.prev]) expect((await send('GET', pathOf(link))).status).toBe(200);
      for (const record of page.results) {
        const { status, json } = await send('GET', pathOf(record.url));
        expect(status).toBe(200);
        if (listing !== 'organisations') expect(json).toEqual(record);
        if (record.user) expect((await send('GET', pathOf(record.user.url))).json).toMatchObject(record.user);
      }
    },
  );

  test.each([
    ['licenses/9', 404, 'not_found'],
    ['tags/45', 404, 'not_found'],
    ['metadata/99', 404, 'not_found'],
    ['licenses/0', 400, 'invalid_parameter id'],
    ['tags/one', 400, 'invalid_parameter id'],
    ['metadata/1e0', 400, 'invalid_parameter id'],
    ['licenses/9007199254740992', 400, 'invalid_parameter id'],
    ['tags/9007199254740991', 404, 'not_found'],
  ])('%s is %i %s', async (record, status, problem) => {
    const response = await send('GET', `${base}/${record}`);
    expect([response.status, problems(response)]).toEqual([status, [problem]]);
  });

  test('links use the address a request was sent to, when no public one is configured', async () => {
    const { send } = await testService({ PUBLIC_URL: '' });
    for (const host of ['hxl.example.org:8080', 'localhost', 'hxl.example.org:8080']) {
      const { json } = await send('GET', `${base}/licenses?limit=1`, undefined, { headers: { host } });
      expect(json.next).toBe(`http://${host}${base}/licenses?orderby=id&order=asc&limit=1&offset=1`);
      expect(json.results[0].url).toBe(`http://${host}${base}/licenses/1`);
    }
  });

  test('links keep the path of a public address', async () => {
    const { send } = await testService({ PUBLIC_URL: 'https://example.org/data/' });
    expect((await list(send, 'tags?limit=1')).results[0].url).toBe(`https://example.org/data${base}/tags/1`);
  });
});

describe('creating metadata', () => {
  test('a record is returned as it can be read', async () => {
    const { send } = await testService();
    const before = Date.now();
    const { status, headers, json } = await send('POST', `${base}/metadata`, flood, { as: 'manager' });
    expect(status).toBe(201);
    expect(json).toEqual({
      ...flood,
      id: 1,
      url: `${origin}${base}/metadata/1`,
      user: { id: 2, url: `${origin}/api/v3/users/2` },
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/),
      updated: null,
      allowed_privileges: ['read', 'create', 'search'],
    });
    expect(Date.parse(json.created)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(json.created)).toBeLessThanOrEqual(Date.now());
    expect(headers.location).toBe(json.url);
    expect((await send('GET', pathOf(json.url), undefined, { as: 'manager' })).json).toEqual(json);
    expect((await send('GET', pathOf(json.user.url))).json).toMatchObject({ id: 2, name: 'manager', role: 'manager' });
  });

  test('text is stored as it was sent', async () => {
    const { send } = await testService();
    const sent = {
      dataset_title: '  مواقع الإيواء 👩🏽‍⚕️ e\u0301 ',
      organisation_id: '"\\/<a>&+%23',
      organisation_name: 'فريق المأوى',
      source: "O'Brien; DROP TABLE",
    };
    const record = await create(send, sent);
    expect(record).toMatchObject(sent);
    expect((await send('GET', pathOf(record.url))).json).toEqual(record);
  });

  test('what was read can be sent back, and makes a record of its own', async () => {
    const { send } = await testService();
    const first = await create(send);
    const second = await create(send, {
      ...first,
      $$hashKey: 'object:7',
      created: '1999-01-01T00:00:00Z',
      allowed_privileges: ['delete'],
    });
    expect(second).toEqual({ ...first, id: 2, url: `${origin}${base}/metadata/2`, created: second.created });
    expect(second.created).not.toContain('1999');
  });

  test('only an administrator creates a record for somebody else', async () => {
    const { send } = await testService();
    expect((await create(send, { user_id: 2 })).user.id).toBe(2);
    for (const user_id of [1, 3, 999]) {
      const refused = await send('POST', `${base}/metadata`, { ...flood, user_id }, { as: 'manager' });
      expect([refused.status, problems(refused)]).toEqual([403, ['forbidden']]);
    }
    expect((await list(send, 'metadata')).total_count).toBe(1);
    expect((await create(send, {}, 'admin')).user.id).toBe(1);
    const given = await create(send, { user_id: 3 }, 'admin');
    expect(given.user).toEqual({ id: 3, url: `${origin}/api/v3/users/3` });
  });

  test('an unknown licence and an unknown user are told together', async () => {
    const { send } = await testService();
    const license = await send('POST', `${base}/metadata`, { ...flood, license_id: 9 }, { as: 'manager' });
    expect([license.status, problems(license)]).toEqual([422, ['unknown_reference /license_id']]);
    const both = await send('POST', `${base}/metadata`, { ...flood, license_id: 9, user_id: 99 });
    expect([both.status, problems(both)]).toEqual([
      422,
      ['unknown_reference /license_id', 'unknown_reference /user_id'],
    ]);
    expect((await list(send, 'metadata')).total_count).toBe(0);
  });

  test('the role user cannot create', async () => {
    const { send } = await testService();
    const response = await send('POST', `${base}/metadata`, flood, { as: 'user' });
    expect([response.status, problems(response)]).toEqual([403, ['insufficient_scope']]);
    expect((await list(send, 'metadata')).total_count).toBe(0);
  });

  describe('refusals', () => {
    let shared: Service;
    let post: (body: unknown) => Promise<TestResponse>;
    beforeAll(async () => {
      shared = await service();
      post = (body) =>
        shared.send('POST', `${base}/metadata`, body, { headers: { 'content-type': 'application/json' } });
    });
    afterAll(() => shared.close());

    test('all members but user_id are required, and all that lack are told at once', async () => {
      const response = await post({});
      expect([response.status, problems(response).sort()]).toEqual([
        422,
        [
          'required /dataset_title',
          'required /license_id',
          'required /organisation_id',
          'required /organisation_name',
          'required /private',
          'required /source',
        ],
      ]);
      expect(response.json.errors[0]).toMatchObject({ status: 422, message: expect.stringMatching(/ is required\.$/) });
    });

    test.each([
      ['dataset_title', 2, 255],
      ['source', 2, 255],
      ['organisation_id', 1, 255],
      ['organisation_name', 1, 255],
    ])('%s has from %i to %i characters', async (member, least, most) => {
      for (const letter of ['x', 'é', '👍']) {
        const response = async (length: number) => {
          const reply = await post({ ...flood, [member]: letter.repeat(length) });
          return reply.status === 201 ? reply.json[member].length / letter.length : problems(reply);
        };
        expect(await response(least)).toBe(least);
        expect(await response(most)).toBe(most);
        expect(await response(least - 1)).toEqual([`too_short /${member}`]);
        expect(await response(most + 1)).toEqual([`too_long /${member}`]);
      }
    });

    test.each([
      [{ license_id: 0 }, 'too_small /license_id'],
      [{ license_id: -1 }, 'too_small /license_id'],
      [{ license_id: 1.5 }, 'invalid_type /license_id'],
      [{ license_id: '1' }, 'invalid_type /license_id'],
      [{ license_id: null }, 'invalid_type /license_id'],
      [{ license_id: 2147483647 }, 'unknown_reference /license_id'],
      [{ user_id: 0 }, 'too_small /user_id'],
      [{ user_id: '1' }, 'invalid_type /user_id'],
      [{ user_id: null }, 'invalid_type /user_id'],
      [{ user_id: 9007199254740991 }, 'unknown_reference /user_id'],
      [{ private: 'true' }, 'invalid_type /private'],
      [{ private: 1 }, 'invalid_type /private'],
      [{ private: null }, 'invalid_type /private'],
      [{ dataset_title: 77 }, 'invalid_type /dataset_title'],
      [{ organisation_id: 77 }, 'invalid_type /organisation_id'],
      [{ dataset_title: 'two\nlines' }, 'invalid_format /dataset_title'],
      [{ source: 'a\u0085b' }, 'invalid_format /source'],
      [{ organisation_id: 'a\u007Fb' }, 'invalid_format /organisation_id'],
      [{ organisation_name: 'half \uD800 pair' }, 'invalid_character /organisation_name'],
    ])('%j is refused with %s', async (members, problem) => {
      const response = await post({ ...flood, ...members });
      expect([response.status, problems(response)]).toEqual([422, [problem]]);
    });

    test.each(['[]', 'null', '"text"', '7', 'true'])('a body that is %s is refused', async (body) => {
      const response = await post(body);
      expect([response.status, problems(response)]).toEqual([422, ['invalid_type ']]);
    });

    test('several wrong members are told at once', async () => {
      const response = await post({ ...flood, dataset_title: 'x', private: 'no', license_id: 0, source: undefined });
      expect(problems(response).sort()).toEqual([
        'invalid_type /private',
        'required /source',
        'too_short /dataset_title',
        'too_small /license_id',
      ]);
    });
  });
});

describe('listings of metadata', () => {
  test('show at once what was created, here or by another process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hxl-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'service.db');
    const [here, there] = [
      await testService({ DATABASE_URL: `file:${path}` }),
      await testService({ DATABASE_URL: `file:${path}` }),
    ];
    const seen = async ({ send }: Service, as: Role) => {
      const [metadata, organisations] = [
        await list(send, 'metadata?limit=9', as),
        await list(send, 'organisations?limit=9', as),
      ];
      return [metadata.total_count, titles(metadata).length, organisations.results[0]?.metadata_count];
    };
    expect(await seen(here, 'user')).toEqual([0, 0, undefined]);
    for (const [count, by] of [here, there, here, there].entries()) {
      await create(by.send, { dataset_title: `No ${count}` });
      await create(by.send, { private: true });
      for (const { as, total } of [
        { as: 'user', total: count + 1 },
        { as: 'manager', total: 2 * count + 2 },
      ] as const) {
        expect([await seen(here, as), await seen(there, as)]).toEqual([
          [total, total, total],
          [total, total, total],
        ]);
      }
    }
  });
});

describe('private metadata', () => {
  test('are seen by their user and by administrators only', async () => {
    const running = await testService();
    const { send } = running;
    const hidden = await create(send, { private: true, dataset_title: 'Hidden', organisation_id: 'Hidden org' });
    const stranger = await another(running, 'manager');
    const read = async (one: Send, as: Role) => (await one('GET', pathOf(hidden.url), undefined, { as })).status;
    expect([
      await read(send, 'manager'),
      await read(send, 'admin'),
      await read(stranger, 'manager'),
      await read(send, 'user'),
    ]).toEqual([200, 200, 404, 404]);
    const total = async (one: Send, as: Role, listing: string) => (await list(one, listing, as)).total_count;
    for (const listing of [
      'metadata',
      'metadata?name=hidden',
      'metadata?code=cc-by-igo',
      'metadata?organisation_id=hidden%20org',
      'organisations',
    ]) {
      expect([await total(send, 'manager', listing), await total(send, 'admin', listing)]).toEqual([1, 1]);
      expect([await total(stranger, 'manager', listing), await total(send, 'user', listing)]).toEqual([0, 0]);
    }
  });

  test('are told apart from none at all by nothing', async () => {
    const { send } = await testService();
    const hidden = await create(send, { private: true });
    const response = await send('GET', pathOf(hidden.url), undefined, { as: 'user' });
    const none = await send('GET', `${base}/metadata/2`, undefined, { as: 'user' });
    const told = ({ status, json, headers }: TestResponse) => ({
      status,
      errors: JSON.stringify(json.errors).replace(/\b[12]\b/, 'N'),
      names: Object.keys(headers),
    });
    expect(told(response)).toEqual(told(none));
    expect(response.status).toBe(404);
  });

  test('belong to whom an administrator gave them', async () => {
    const { send } = await testService();
    const given = await create(send, { user_id: 3, private: true }, 'admin');
    const read = async (as: Role) => (await send('GET', pathOf(given.url), undefined, { as })).status;
    expect([await read('user'), await read('manager'), await read('admin')]).toEqual([200, 404, 200]);
    expect((await send('GET', pathOf(given.url), undefined, { as: 'user' })).json.allowed_privileges).toEqual([
      'read',
      'search',
    ]);
  });

  test('leave the pages of others full and their counts right', async () => {
    const { send } = await testService();
    for (let index = 0; index < 12; index += 1)
      await create(send, { dataset_title: `No ${index}`, private: index % 3 !== 0 });
    expect(titles(await list(send, 'metadata', 'user'))).toEqual(['No 0', 'No 3', 'No 6', 'No 9']);
    expect(await list(send, 'metadata?limit=3', 'user')).toMatchObject({ count: 3, total_count: 4 });
    expect(titles(await list(send, 'metadata?limit=3&offset=3', 'user'))).toEqual(['No 9']);
    expect(titles(await list(send, 'metadata?limit=2&order=desc', 'user'))).toEqual(['No 9', 'No 6']);
    expect(await list(send, 'metadata?limit=5', 'manager')).toMatchObject({ count: 5, total_count: 12 });
    expect((await list(send, 'organisations', 'user')).results[0].metadata_count).toBe(4);
    expect((await list(send, 'organisations', 'manager')).results[0].metadata_count).toBe(12);
  });
});

describe('filters on metadata', () => {
  let shared: Service;
  let send: Send;
  beforeAll(async () => {
    shared = await service();
    send = shared.send;
    const record = (dataset_title: string, license_id: number, organisation_id: string) =>
      create(send, { dataset_title, license_id, organisation_id });
    await record('ÉCOLES détruites', 1, 'Überleben');
    await record('écoles DÉTRUITES', 2, 'ÜBERLEBEN');
    await record('Школы', 2, 'überleben!');
    await record('ΣΧΟΛΕΙΑ', 3, 'a & b=c+d%20#1');
    await record('100%', 3, '100_');
  });
  afterAll(() => shared.close());

  test.each<[Record<string, string>, number[]]>([
    [{ name: 'École' }, []],
    [{ name: 'écoles détruites' }, [1, 2]],
    [{ name: 'e\u0301coles de\u0301truites' }, [1, 2]],
    [{ name: 'ecoles detruites' }, []],
    [{ name: 'ШКОЛЫ' }, [3]],
    [{ name: 'σχολεια' }, [4]],
    [{ name: '100%' }, [5]],
    [{ name: '%' }, []],
    [{ name: '' }, []],
    [{ code: 'cc-by' }, [2, 3]],
    [{ code: 'CC-BY-SA' }, [4, 5]],
    [{ code: 'hdx-multi' }, []],
    [{ code: 'nothing' }, []],
    [{ organisation_id: 'überleben' }, [1, 2]],
    [{ organisation_id: 'A & B=C+D%20#1' }, [4]],
    [{ organisation_id: '100x' }, []],
    [{ name: 'écoles détruites', code: 'cc-by' }, [2]],
    [{ name: 'écoles détruites', code: 'cc-by-sa' }, []],
    [{ name: 'Écoles détruites', code: 'CC-BY', organisation_id: 'ÜberLeben' }, [2]],
    [{ code: 'cc-by', organisation_id: 'überleben!' }, [3]],
  ])('%j finds %j', async (filters, ids) => {
    const page = await list(send, `metadata?${query(filters)}&limit=1`);
    expect(page.total_count).toBe(ids.length);
    expect((await list(send, `metadata?${query(filters)}`)).results.map((record: any) => record.id)).toEqual(ids);
    for (const link of [page.curr, page.next, page.prev]) {
      expect(Object.fromEntries(new URL(link).searchParams)).toMatchObject({ ...filters, limit: '1' });
      expect((await send('GET', pathOf(link))).json.total_count).toBe(ids.length);
    }
    expect((await send('GET', pathOf(page.next))).json.results.map((record: any) => record.id)).toEqual(
      ids.slice(1, 2),
    );
  });

  test('a filter given twice or longer than any value is refused', async () => {
    const twice = await send('GET', `${base}/metadata?name=a&name=b`);
    expect([twice.status, problems(twice)]).toEqual([400, ['repeated_parameter name']]);
    const long = await send('GET', `${base}/metadata?organisation_id=${'x'.repeat(256)}`);
    expect([long.status, problems(long)]).toEqual([400, ['invalid_parameter organisation_id']]);
  });
});

describe('organisations', () => {
  test('none are listed when there is no metadata', async () => {
    const { send } = await testService();
    expect(await list(send, 'organisations')).toMatchObject({ count: 0, results: [], total_count: 0, limit: null });
  });

  test('have an id, a name, a count, an address and privileges', async () => {
    const { send } = await testService();
    await create(send);
    expect((await list(send, 'organisations', 'user')).results).toEqual([
      {
        id: 'red-humanitaria-norte',
        name: 'Red Humanitaria del Norte',
        metadata_count: 1,
        url: `${origin}${base}/metadata?organisation_id=red-humanitaria-norte`,
        allowed_privileges: ['read', 'search'],
      },
    ]);
  });

  test('are one whatever the case of their id, and spelled as in the latest record', async () => {
    const { send } = await testService();
    await create(send, { organisation_id: 'Überleben', organisation_name: 'First' });
    await create(send, { organisation_id: 'ÜBERLEBEN', organisation_name: 'Second' });
    await create(send, { organisation_id: 'other' });
    const { results, total_count } = await list(send, 'organisations?orderby=metadata_count&order=desc');
    expect(total_count).toBe(2);
    expect(results.map(({ id, name, metadata_count }: any) => [id, name, metadata_count])).toEqual([
      ['ÜBERLEBEN', 'Second', 2],
      ['other', 'Red Humanitaria del Norte', 1],
    ]);
  });

  test('are seen as far as their metadata are', async () => {
    const { send } = await testService();
    await create(send, { organisation_id: 'Acme', organisation_name: 'Open' });
    await create(send, { organisation_id: 'ACME', organisation_name: 'Secret spelling', private: true });
    await create(send, { organisation_id: 'Secret', private: true });
    const seen = async (as: Role) =>
      (await list(send, 'organisations', as)).results.map(({ id, name, metadata_count }: any) => [
        id,
        name,
        metadata_count,
      ]);
    expect(await seen('user')).toEqual([['Acme', 'Open', 1]]);
    const all = [
      ['ACME', 'Secret spelling', 2],
      ['Secret', 'Red Humanitaria del Norte', 1],
    ];
    expect([await seen('manager'), await seen('admin')]).toEqual([all, all]);
  });

  test('have an address that leads to exactly their metadata', async () => {
    const { send } = await testService();
    const ids = [
      'plain',
      'a & b',
      'a+b',
      'a%20b',
      '#1?x=y/..',
      'Œuvre',
      'œUVRE',
      '合作',
      '👍'.repeat(255),
      ' ',
      "'; --",
    ];
    for (const organisation_id of ids)
      await create(send, { organisation_id, private: ids.indexOf(organisation_id) % 2 === 1 });
    for (const as of ['manager', 'user'] as const) {
      const { results } = await list(send, 'organisations', as);
      expect(results.length).toBe(as === 'manager' ? 10 : 6);
      for (const { url, id, metadata_count } of results) {
        const page = (await send('GET', pathOf(url), undefined, { as })).json;
        expect([id, page.total_count]).toEqual([id, metadata_count]);
        expect(page.results.map((record: any) => record.organisation_id)).toContain(id);
      }
    }
  });

  test('are paged', async () => {
    const { send } = await testService();
    for (const organisation_id of ['c', 'a', 'b', 'A']) await create(send, { organisation_id });
    const first = await list(send, 'organisations?limit=2&orderby=id');
    expect(first).toMatchObject({ count: 2, limit: '2', total_count: 3 });
    const second = (await send('GET', pathOf(first.next))).json;
    expect([...first.results, ...second.results].map(({ id }: any) => id)).toEqual(['A', 'b', 'c']);
  });
});
