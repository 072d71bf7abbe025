import { createCatalog } from '../../lib/service-catalog/catalog';
import { loadCatalog } from '../../lib/service-catalog/catalog-config';
import { testApp } from '../helpers/app';
import { REFERENCES } from '../helpers/reference-deployments';
import { textBeside } from './beside';
import { outline } from './outline';
import { modelOf, templateOf } from './recorded';
import { reference } from './reference-templates';
import { type Section, text } from './section';
import type { Resources, Template } from './template';
import { UNHELD } from './unheld';
import { alterEach, type Findings, noFindings, type Shown } from './unnoticed';

const shown: Shown = (part) => text(outline(part));

/** The names of a deployment's stacks, without its own name. */
const stacksOf = (deployment: string): string[] =>
  Object.keys(reference(deployment).templates).map((stack) => stack.slice(deployment.length + 1));

/** Shows a resource beside that of a model. */
function besideModel(model: Template, name: string): Shown {
  const known = new Map<string, Section[]>();
  return (part) => {
    const [id = ''] = Object.keys(part.Resources);
    const same = model.Resources[id];
    const sections = known.get(id) ?? outline({ Resources: same ? { [id]: same } : {} });
    known.set(id, sections);
    return textBeside(outline(part), sections, name);
  };
}

function catalog(): Template {
  const app = testApp();
  const surroundings = { account: '111122223333', region: 'eu-central-1', versions: '/nonexistent' };
  createCatalog(app, 'service-catalog', loadCatalog('service-catalog'), surroundings);
  return app.synth().getStackByName('service-catalog').template;
}

describe('each property of the templates, altered,', () => {
  const all: Findings = noFindings();

  afterAll(() => {
    const unheld = [...all.unheld].map(([what, count]) => `${count} ${what}`);
    console.log(`${all.altered} alterations; left out on purpose: ${unheld.join(', ')}`);
  });

  test.each(REFERENCES)('is noticed in the stacks of %s', (deployment) => {
    for (const stack of stacksOf(deployment)) alterEach(templateOf(deployment, stack), shown, all);
    expect([...all.unnoticed]).toEqual([]);
  });

  test.each(
    REFERENCES.filter((deployment) => stacksOf(deployment).some((stack) => modelOf(deployment, stack))),
  )('is noticed where a stack of %s is shown beside another one', (deployment) => {
    const findings = noFindings();
    for (const stack of stacksOf(deployment)) {
      const model = modelOf(deployment, stack);
      if (!model) continue;
      const other = templateOf(model, stack);
      const own = differing(templateOf(deployment, stack), other);
      alterEach(own, besideModel(other, model), findings);
    }
    expect([...findings.unnoticed]).toEqual([]);
  });

  test('is noticed in the catalog', () => {
    alterEach(catalog(), shown, all);
    expect([...all.unnoticed]).toEqual([]);
  });

  test.each(UNHELD.map(({ what }) => what))('is left out only where something needs it: %s', (what) => {
    expect([what, all.unheld.get(what)]).toEqual([what, expect.any(Number)]);
  });
});

/** A template with only those resources that another one has not, or has otherwise. */
function differing({ Resources }: Template, { Resources: others }: Template): Template {
  const own = Object.entries(Resources).filter(
    ([id, resource]) => JSON.stringify(resource) !== JSON.stringify(others[id]),
  );
  return { Resources: Object.fromEntries(own) };
}

describe('an outline that leaves out what matters', () => {
  const templates = stacksOf('sas-grid-fsx').map((stack) => templateOf('sas-grid-fsx', stack));
  const unnoticed = (type: string, crippled: Shown): string[] => {
    const findings = noFindings();
    for (const template of templates) alterEach({ Resources: firstOf(type, template) }, crippled, findings);
    return [...findings.unnoticed];
  };

  test.each([
    ['permissions', 'AWS::IAM::Policy', 'Properties.PolicyDocument.Statement.*.Effect: another'],
    ['key policies', 'AWS::KMS::Key', 'Properties.KeyPolicy.Statement.*: dropped'],
    ['security groups', 'AWS::EC2::SecurityGroup', 'Properties.SecurityGroupEgress.*.CidrIp: another'],
    ['alarms', 'AWS::CloudWatch::Alarm', 'Properties.Threshold: another'],
    ['documents', 'AWS::StepFunctions::StateMachine', 'Properties.DefinitionString.Fn::Join.*.*: another'],
    ['settings', 'AWS::KMS::Key', 'Properties.EnableKeyRotation: another'],
    ['resources', 'AWS::FSx::FileSystem', 'DeletionPolicy: another'],
  ])('is found out: %s', (title, type, example) => {
    const without: Shown = (part) => text(outline(part).filter((section) => section.title !== title));
    expect(unnoticed(type, without)).toContain(`${type} ${example}`);
  });

  test('is found out when it leaves out retention only', () => {
    const without: Shown = (part) => shown(part).replace(/; when deleted \w+, when replaced \w+/g, '');
    const type = 'AWS::FSx::FileSystem';
    expect(unnoticed(type, without)).toEqual(
      expect.arrayContaining([`${type} DeletionPolicy: another`, `${type} UpdateReplacePolicy: dropped`]),
    );
  });
});

/** The first resources of a type. */
const firstOf = (type: string, { Resources }: Template): Resources =>
  Object.fromEntries(
    Object.entries(Resources)
      .filter(([, { Type }]) => Type === type)
      .slice(0, 2),
  );
