import { CfnCondition, Fn, aws_servicecatalog as servicecatalog, aws_sns as sns, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { GridNetwork } from '../../constructs';
import type { DeploymentConfig } from '../config-types';
import { kindOf } from '../file-systems';
import type { MadeFileSystem } from '../file-systems/made';
import { networkProps } from '../from-config';
import { addGrid } from '../grid-stack';
import { addInExistingNetwork } from '../storage-stack';
import { acknowledgeRanges } from './acknowledge';
import { asProductParameters } from './existing-network';
import { gridParameters } from './grid-parameters';
import { LaunchGuard } from './launch-guard';
import { networkParameters } from './network-parameters';
import { addParameters, describeParameters, type ProductParameter, type ProductRule } from './parameter';
import { sizedTier, tierParameters, tierRules } from './tier-parameters';
import type { Template } from './versions';

/** On everything of a product that takes tags; the rights of its launch role rest on it. */
export const PRODUCT_TAG = 'cdk-sas-grid:product';

export interface SasGridProductProps extends servicecatalog.ProductStackProps {
  /** The deployment that it is, which is also the value of its tag. */
  readonly deployment: string;
  readonly version: string;
  readonly config: DeploymentConfig;
}

/** Where the template says which product it is, in which version. */
export const PRODUCT_METADATA = 'cdk-sas-grid:product';

/**
 * A reference deployment as one template of Service Catalog: network, file system and grid in one stack, by the
 * constructs and with the configuration that `cdk deploy` takes; what a user chooses at launch is parameters with that
 * configuration as their defaults.
 */
export class SasGridProduct extends servicecatalog.ProductStack {
  /** What is asked at launch, as the console shows it. */
  public readonly parameters: readonly ProductParameter[];

  /** What the catalog checks of parameters that depend on each other. */
  public readonly rules: readonly ProductRule[];

  public constructor(scope: Construct, id: string, props: SasGridProductProps) {
    super(scope, id, props);
    const { deployment, version } = props;
    this.templateOptions.metadata = { [PRODUCT_METADATA]: { deployment, version } };
    const kind = kindOf(props.config);

    const before = [
      ...(props.config.existingNetwork ? [] : networkParameters(props.config)),
      ...kind.product.before(props.config),
      ...gridParameters(props.config),
      alarmEmail(props.config),
    ];
    const values = addParameters(this, before);
    const config = before.reduce(
      (all, parameter) => parameter.configure?.(all, values.get(parameter)!) ?? all,
      props.config,
    );
    const alarmTopic = new sns.Topic(this, 'Alarms', { enforceSSL: true });
    const made = config.existingNetwork
      ? addInExistingNetwork(this, config, alarmTopic, asProductParameters(values))
      : this.addDeployment(config, alarmTopic);

    const tier = made.sizable && sizedTier(this, made.sizable);
    const after = [...(tier ? tierParameters(tier) : []), ...(kind.product.after?.(props.config) ?? [])];
    for (const [parameter, value] of addParameters(this, after)) values.set(parameter, value);
    this.parameters = [...values.keys()];
    this.rules = tier ? tierRules(tier) : [];
    for (const [parameter, value] of values) parameter.apply?.(this, value, made);

    const fixed = this.parameters.filter(({ change }) => change === 'refused');
    new LaunchGuard(
      this,
      'LaunchGuard',
      Object.fromEntries(fixed.map((each) => [each.name, values.get(each)!.valueAsString])),
    );
    acknowledgeRanges(this);
    describeParameters(this, this.parameters);
    Tags.of(this).add(PRODUCT_TAG, deployment);
    Tags.of(this).add('cdk-sas-grid:deployment', deployment);
  }

  private addDeployment(config: DeploymentConfig, alarmTopic: sns.ITopic): MadeFileSystem {
    const { add, product } = kindOf(config);
    const network = new GridNetwork(this, 'Network', networkProps(config.network));
    const made = add(this, config, { network, alarmTopic });
    product.finish?.(this, { network, alarmTopic });
    const sharedFileSystem = made.fileSystem;
    if (config.grid) addGrid(this, config.grid, { network, alarmTopic, sharedFileSystem });
    return made;
  }

  /** The template as it is written; complete only when the app is being synthesized. */
  public toTemplate(): Template {
    return JSON.parse(JSON.stringify(this.resolve(this._toCloudFormation()))) as Template;
  }
}

function alarmEmail({ alarmEmail: configured }: DeploymentConfig): ProductParameter {
  return {
    name: 'AlarmEmail',
    group: 'Operation',
    label: 'Address that alarms are sent to',
    change: 'in-place',
    definition: {
      type: 'String',
      default: configured ?? '',
      allowedPattern: '|[^@\\s]+@[^@\\s]+',
      constraintDescription: 'an e-mail address, or nothing',
      description: 'AWS sends a mail to it whose link has to be opened once. Nothing: nobody is told.',
    },
    apply: (product, parameter) => {
      const condition = new CfnCondition(product, 'HasAlarmEmail', {
        expression: Fn.conditionNot(Fn.conditionEquals(parameter, '')),
      });
      const topic = product.node.findChild('Alarms') as sns.Topic;
      const subscription = new sns.CfnSubscription(topic, 'Email', {
        topicArn: topic.topicArn,
        protocol: sns.SubscriptionProtocol.EMAIL,
        endpoint: parameter.valueAsString,
      });
      subscription.cfnOptions.condition = condition;
    },
  };
}
