import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkKeptResources,
  keptResources,
  recordKeptResources,
} from '../../constructs/deployed-data/kept-resources';
import { SERVICE_LIMITS } from '../../constructs/sizing';
import { createDeployment } from '../../lib/deployment';
import { computingSeconds, SCALED, scaledConfig, synthesizeScaled } from '../../proof/bench/scaled';
import { testApp } from '../helpers/app';

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties?: {
    readonly TemplateURL?: unknown;
    readonly Parameters?: { readonly [name: string]: unknown };
    readonly Tags?: readonly { readonly Key: string; readonly Value: unknown }[];
    readonly Environment?: { readonly Variables: { readonly [name: string]: unknown } };
  };
}

interface Template {
  readonly Resources: { readonly [id: string]: Resource };
  readonly Outputs?: object;
  readonly Parameters?: object;
}

const OWN_STACK = 'sas-grid-lustre-storage.template.json';

/** Values as CloudFormation resolves them where these names are known; what refers to something else stays as it is. */
function valueIn(names: { readonly [name: string]: unknown }): (value: unknown) => unknown {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
    if (Ref !== undefined) return names[Ref] ?? value;
    return join === undefined ? value : join[1].map(resolve).join(join[0]);
  };
  return resolve;
}

const folder = mkdtempSync(join(tmpdir(), 'scale-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('128 object storage servers with eight volumes each', () => {
  const templates = new Map<string, { text: string; template: Template }>();

  beforeAll(() => {
    const out = join(folder, 'assembly');
    synthesizeScaled(scaledConfig(128), out);
    for (const name of readdirSync(out).filter((file) => file.endsWith('.template.json'))) {
      const text = readFileSync(join(out, name), 'utf8');
      templates.set(name, { text, template: JSON.parse(text) as Template });
    }
  });

  const all = () => [...templates.values()].flatMap(({ template }) => Object.values(template.Resources));
  const countOf = (type: string) => all().filter(({ Type }) => Type === type).length;

  test('are all there', () => {
    expect(countOf('AWS::EC2::Volume')).toBe(128 * 8 + 2);
    // One more for each node of the grid, and for its control server.
    expect(countOf('AWS::EC2::NetworkInterface')).toBe(128 + 2 + 5);
    expect(countOf('AWS::CloudFormation::Stack')).toBe(3);
    expect([...templates.keys()].filter((name) => /nested/.test(name))).toHaveLength(3);
  });

  test('stay within the limits of CloudFormation, in each of their stacks', () => {
    expect(templates.size).toBe(8);
    for (const [name, { text, template }] of templates) {
      const counts = {
        resources: Object.keys(template.Resources).length,
        bytes: Buffer.byteLength(text),
        outputs: Object.keys(template.Outputs ?? {}).length,
        parameters: Object.keys(template.Parameters ?? {}).length,
      };
      const limits = {
        resources: SERVICE_LIMITS.stackResources.value,
        bytes: SERVICE_LIMITS.templateBytes.value,
        outputs: SERVICE_LIMITS.stackOutputs.value,
        parameters: SERVICE_LIMITS.templateParameters.value,
      };
      const over = Object.entries(counts).filter(([what, n]) => n > limits[what as keyof typeof limits]);
      expect({ name, over }).toEqual({ name, over: [] });
      // With tags of the user's own on every volume there is still room: six or so.
      expect({ name, tight: counts.bytes > 0.6 * limits.bytes }).toEqual({ name, tight: false });
    }
  });

  test('carry the tag of the tier as its own stack names it, wherever they are', () => {
    const parent = templates.get(OWN_STACK)!.template;
    const named = valueIn({ 'AWS::StackName': 'the-storage' });
    const environments = Object.values(parent.Resources).flatMap(({ Properties }) => {
      const variables = Properties?.Environment?.Variables;
      return variables?.TIER === 'oss' && variables.TIER_TAG !== undefined ? [variables] : [];
    });
    // What the permissions and the describes of the reconciler ask for.
    const tags = new Set(environments.map(({ TIER_TAG }) => named(TIER_TAG)));
    expect([...tags]).toEqual(['the-storage/Lustre/ObjectStorageServers']);
    const seen = { volumes: 0, interfaces: 0 };
    const lookAt = (template: Template, value: (of: unknown) => unknown) => {
      for (const { Type, Properties } of Object.values(template.Resources)) {
        const kind = Type === 'AWS::EC2::Volume' ? 'volumes' : 'interfaces';
        if (kind === 'interfaces' && Type !== 'AWS::EC2::NetworkInterface') continue;
        const tag = (key: string) => value(Properties?.Tags?.find(({ Key }) => Key === key)?.Value);
        if (!String(tag('cdk-sas-grid:slot')).startsWith('oss-')) continue;
        seen[kind] += 1;
        expect([...tags]).toEqual([tag('cdk-sas-grid:tier')]);
      }
    };
    lookAt(parent, named);
    for (const [id, { Type, Properties }] of Object.entries(parent.Resources)) {
      if (Type !== 'AWS::CloudFormation::Stack') continue;
      const number = /Stack(\d)NestedStack/.exec(id)![1];
      const file = [...templates.keys()].find((name) => name.includes(`SlotsStack${number}`));
      const nested = templates.get(file!)!.template;
      const given = Object.entries(Properties?.Parameters ?? {}).map(([name, value]) => [name, named(value)]);
      // The name of a nested stack is its own, and nobody's who asks for the tag.
      lookAt(nested, valueIn({ ...Object.fromEntries(given), 'AWS::StackName': 'a-nested-one' }));
    }
    expect(seen).toEqual({ volumes: 128 * 8, interfaces: 128 });
  });

  test('keep every volume, whatever becomes of a stack', () => {
    for (const { Type, DeletionPolicy, UpdateReplacePolicy } of all()) {
      if (Type === 'AWS::EC2::Volume')
        expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    }
  });
});

describe('the record of a deployment', () => {
  const resourcesOf = (servers: number, volumes = 8) => {
    const app = testApp();
    createDeployment(app, SCALED, scaledConfig(servers, volumes), 'no record');
    return keptResources(app);
  };
  const file = join(folder, 'mine.volumes.json');
  const few = resourcesOf(40);
  beforeAll(() => recordKeptResources(file, few));

  test('names what is in nested stacks by where it is in the template', () => {
    const volumes = Object.keys(few).filter((name) => /Volume\d/.test(name));
    expect(volumes).toHaveLength(40 * 8 + 2);
    const nested = volumes.filter((name) => name.split('/').length === 3);
    expect(nested).toHaveLength((40 - 30) * 8);
    for (const name of Object.keys(few)) expect(name).toMatch(/^sas-grid-lustre-[a-z]+(\/[\w/-]+)?$/);
  });

  test('allows growth into one nested stack more after the other', () => {
    for (const servers of [41, 69])
      expect(() => checkKeptResources(file, resourcesOf(servers))).not.toThrow();
  });

  test('refuses what would leave a nested volume behind', () => {
    expect(() => checkKeptResources(file, resourcesOf(39))).toThrow(
      /Stack1NestedStack\w+\/oss39Volume\w+ is no longer in the deployment/,
    );
    expect(() => checkKeptResources(file, resourcesOf(40, 7))).toThrow(
      /volumesPerServer changes from 8 to 7/,
    );
  });
});

test('synthesis takes time in proportion to the servers', () => {
  const seconds = (servers: number) =>
    computingSeconds(() => synthesizeScaled(scaledConfig(servers), join(folder, String(servers))));
  seconds(16); // loads what is loaded at first use
  const few = Math.min(seconds(32), seconds(32));
  const many = seconds(128);
  // Four times as many servers, and what does not grow.
  expect(many / few).toBeLessThan(5);
});
