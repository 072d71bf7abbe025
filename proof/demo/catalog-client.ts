import { callJson } from '../kit/aws-json';
import type { LocalCloud } from '../kit/localcloud';
import { waitFor } from '../kit/processes';

/** Values of parameters by name. */
export type Parameters = Readonly<Record<string, string>>;

/** How an operation on a provisioned product ended. */
export interface Outcome {
  readonly succeeded: boolean;
  /** Why it failed; empty when it did not. */
  readonly reason: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly seconds: number;
}

interface RecordAnswer {
  readonly RecordDetail: {
    readonly RecordId: string;
    readonly Status: string;
    readonly RecordErrors?: readonly { readonly Description?: string }[];
  };
  readonly RecordOutputs?: readonly { readonly OutputKey: string; readonly OutputValue: string }[];
}

/** What the console would show of a parameter. */
export interface ShownParameter {
  readonly ParameterKey: string;
  readonly DefaultValue?: string;
  readonly Description?: string;
  readonly ParameterConstraints: Readonly<Record<string, unknown>>;
}

let tokens = 0;

/** A user of the catalog: all through the Service Catalog API, nothing behind its back. */
export class CatalogUser {
  constructor(private readonly cloud: LocalCloud) {}

  /** The products that can be launched, by name. */
  async products(): Promise<Map<string, string>> {
    const { ProductViewSummaries } = await this.call<{
      ProductViewSummaries: { Name: string; ProductId: string }[];
    }>('SearchProducts', { PageSize: 20 });
    return new Map(ProductViewSummaries.map(({ Name, ProductId }) => [Name, ProductId]));
  }

  /** What is asked at the launch of a version. */
  async parameters(product: string, version: string): Promise<ShownParameter[]> {
    const answer = await this.call<{ ProvisioningArtifactParameters: ShownParameter[] }>(
      'DescribeProvisioningParameters',
      { ProductId: product, ProvisioningArtifactName: version },
    );
    return answer.ProvisioningArtifactParameters;
  }

  launch(name: string, product: string, version: string, parameters: Parameters): Promise<Outcome> {
    return this.operation('ProvisionProduct', {
      ProductId: product,
      ProvisioningArtifactName: version,
      ProvisionedProductName: name,
      ProvisionToken: token(),
      ProvisioningParameters: Object.entries(parameters).map(([Key, Value]) => ({ Key, Value })),
      Tags: [{ Key: 'Environment', Value: 'test' }],
    });
  }

  /** An update; what is not named stays. */
  async update(
    name: string,
    changes: Parameters,
    all: readonly string[],
    version?: string,
  ): Promise<Outcome> {
    return this.operation('UpdateProvisionedProduct', {
      ProvisionedProductName: name,
      ...(version && { ProvisioningArtifactName: version }),
      UpdateToken: token(),
      ProvisioningParameters: all.map((Key) =>
        Key in changes ? { Key, Value: changes[Key] } : { Key, UsePreviousValue: true },
      ),
    });
  }

  terminate(name: string): Promise<Outcome> {
    return this.operation('TerminateProvisionedProduct', {
      ProvisionedProductName: name,
      TerminateToken: token(),
    });
  }

  /** AVAILABLE, TAINTED, ERROR and so on. */
  async status(name: string): Promise<string> {
    const answer = await this.call<{ ProvisionedProductDetail: { Status: string } }>(
      'DescribeProvisionedProduct',
      { Name: name },
    );
    return answer.ProvisionedProductDetail.Status;
  }

  private async operation(action: string, request: object): Promise<Outcome> {
    const start = Date.now();
    const { RecordDetail } = await this.call<RecordAnswer>(action, request);
    const ended = await waitFor(
      `${action} of record ${RecordDetail.RecordId}`,
      async () => {
        const answer = await this.call<RecordAnswer>('DescribeRecord', { Id: RecordDetail.RecordId });
        return ['SUCCEEDED', 'FAILED'].includes(answer.RecordDetail.Status) ? answer : undefined;
      },
      0.5,
    );
    return {
      succeeded: ended.RecordDetail.Status === 'SUCCEEDED',
      reason: (ended.RecordDetail.RecordErrors ?? []).map(({ Description }) => Description ?? '').join('; '),
      outputs: Object.fromEntries(
        (ended.RecordOutputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
      ),
      seconds: (Date.now() - start) / 1000,
    };
  }

  private call<T>(action: string, request: object): Promise<T> {
    return callJson<T>(this.cloud, 'servicecatalog', action, request);
  }
}

const token = (): string => `demo-${Date.now()}-${tokens++}`;
