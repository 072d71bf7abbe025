import { Lazy, TagManager, TagType } from 'aws-cdk-lib';
import type { CfnLaunchTemplate } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';

/**
 * Permissions rest on our own tags. An instance's own interface has none of them: it is no address of a slot or node.
 */
const OWN = 'cdk-sas-grid:';

/** A tag as CloudFormation spells it. */
interface CfnTag {
  readonly Key: string;
  readonly Value: string;
}

/** What RunInstances makes with an instance, and tags with it. */
export type Launched = 'instance' | 'volume' | 'network-interface';

/**
 * Gives what a launch template launches the tags of the template, which are those of its stack and app, at the moment
 * of its launch: the policy of an organisation may refuse what comes without. Tags that an Auto Scaling group gives its
 * members come besides.
 *
 * @param kinds what each launch makes: a launch fails that is to tag something else (EC2 API reference,
 * LaunchTemplateTagSpecificationRequest, in botocore's model, read 2026-11-25)
 */
export function tagAtLaunch(template: CfnLaunchTemplate, kinds: Launched[]): void {
  const { tags } = new TagsOfTemplate(template, 'LaunchTags');
  const specifications = Lazy.any({
    produce: () => {
      const all = (tags.renderTags() ?? []) as CfnTag[];
      const others = all.filter(({ Key }) => !Key.startsWith(OWN));
      return kinds
        .map((ResourceType) => ({ ResourceType, Tags: ResourceType === 'network-interface' ? others : all }))
        .filter((each) => each.Tags.length > 0);
    },
  });
  template.addPropertyOverride('LaunchTemplateData.TagSpecifications', specifications);
}

/** Collects the tags of its scope, as the CDK's own template does. */
class TagsOfTemplate extends Construct {
  readonly tags = new TagManager(TagType.KEY_VALUE, 'AWS::EC2::LaunchTemplate');
}
