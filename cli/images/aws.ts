import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeImagesCommand, EC2Client } from '@aws-sdk/client-ec2';
import {
  GetImageCommand,
  type Image,
  ImagebuilderClient,
  ListWorkflowExecutionsCommand,
  ListWorkflowStepExecutionsCommand,
  paginateListImagePipelineImages,
  StartImagePipelineExecutionCommand,
} from '@aws-sdk/client-imagebuilder';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { ask, errorName } from '../preflight/aws/ask';
import { type Build, type ImagesAws, logGroup, type Pipelines } from './port';

const RECORD = 'recorded.tsv';

/** What of a log is shown when a build fails. */
const LOG_LINES = 20;

/** AWS itself, in a region, with the caller's credentials. */
export function imagesAws(region: string): ImagesAws {
  const options = { region };
  const stacks = new CloudFormationClient(options);
  const ec2 = new EC2Client(options);
  const builder = new ImagebuilderClient(options);
  const logs = new CloudWatchLogsClient(options);
  const s3 = new S3Client({ ...options, forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined });
  return {
    pipelines: (stack) => pipelinesOf(stacks, stack),
    builds: (pipeline) =>
      ask('imagebuilder:ListImagePipelineImages', async () => {
        const builds: Build[] = [];
        const pages = paginateListImagePipelineImages({ client: builder }, { imagePipelineArn: pipeline });
        for await (const { imageSummaryList = [] } of pages) builds.push(...imageSummaryList.map(buildOf));
        return builds.sort((a, b) => b.created.localeCompare(a.created));
      }),
    build: (imageBuildVersionArn) =>
      ask('imagebuilder:GetImage', async () => {
        const { image } = await builder.send(new GetImageCommand({ imageBuildVersionArn }));
        return buildOf(image!);
      }),
    start: (imagePipelineArn, clientToken) =>
      ask('imagebuilder:StartImagePipelineExecution', async () => {
        const command = new StartImagePipelineExecutionCommand({ imagePipelineArn, clientToken });
        return (await builder.send(command)).imageBuildVersionArn!;
      }),
    step: (arn) => stepOf(builder, arn).catch(() => undefined),
    log: (build) => logOf(logs, build).catch(() => []),
    imageTags: (imageId) => tagsOf(ec2, imageId),
    records: (bucket) => recordsIn(s3, bucket),
  };
}

function buildOf(
  image: Pick<Image, 'arn' | 'name' | 'version' | 'state' | 'dateCreated' | 'outputResources'>,
): Build {
  return {
    arn: image.arn!,
    name: image.name ?? '',
    // The build is in the ARN only: image/<name>/1.0.0/1.
    version: image.arn!.split('/').slice(2).join('/'),
    state: image.state?.status ?? 'PENDING',
    reason: image.state?.reason,
    created: image.dateCreated ?? '',
    imageId: image.outputResources?.amis?.[0]?.image,
  };
}

async function pipelinesOf(client: CloudFormationClient, stack: string): Promise<Pipelines | undefined> {
  try {
    return await ask('cloudformation:DescribeStacks', async () => {
      const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
      const outputs = Object.fromEntries(
        (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey!, OutputValue!]),
      );
      const { StorageImagePipeline: storage, GridImagePipeline: grid, MirrorBucket } = outputs;
      return { arns: { ...(storage && { storage }), ...(grid && { grid }) }, mirrorBucket: MirrorBucket! };
    });
  } catch (error) {
    if (errorName(error) === 'ValidationError' && /does not exist/.test(String(error))) return undefined;
    throw error;
  }
}

async function stepOf(client: ImagebuilderClient, imageBuildVersionArn: string): Promise<string | undefined> {
  const { workflowExecutions = [] } = await client.send(
    new ListWorkflowExecutionsCommand({ imageBuildVersionArn }),
  );
  const running = workflowExecutions.find(({ status }) => status === 'RUNNING');
  if (!running?.workflowExecutionId) return undefined;
  const { workflowExecutionId } = running;
  const { steps = [] } = await client.send(new ListWorkflowStepExecutionsCommand({ workflowExecutionId }));
  return steps.find(({ status }) => status === 'RUNNING')?.name;
}

async function logOf(client: CloudWatchLogsClient, build: Build): Promise<string[]> {
  const place = { logGroupName: logGroup(build), logStreamName: build.version };
  const { events = [] } = await client.send(new GetLogEventsCommand({ ...place, limit: LOG_LINES }));
  return events.map(({ message = '' }) => message.trimEnd()).filter(Boolean);
}

async function tagsOf(client: EC2Client, imageId: string): Promise<{ [key: string]: string } | undefined> {
  try {
    return await ask('ec2:DescribeImages', async () => {
      const { Images } = await client.send(new DescribeImagesCommand({ ImageIds: [imageId] }));
      const found = Images?.[0];
      return found && Object.fromEntries((found.Tags ?? []).map(({ Key, Value }) => [Key!, Value!]));
    });
  } catch (error) {
    if (/^InvalidAMIID\./.test(errorName(error))) return undefined;
    throw error;
  }
}

async function recordsIn(client: S3Client, bucket: string): Promise<{ [set: string]: string }> {
  const keys = await ask('s3:ListBucket', async () => {
    const found: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
      found.push(...Contents.map(({ Key }) => Key!).filter((key) => key.endsWith(`/${RECORD}`)));
    }
    return found;
  });
  const records: { [set: string]: string } = {};
  for (const key of keys) {
    records[key.slice(0, -RECORD.length - 1)] = await ask('s3:GetObject', async () => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return Body!.transformToString();
    });
  }
  return records;
}
