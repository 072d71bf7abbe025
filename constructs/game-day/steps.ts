import { AUTOMATION_RUNTIME } from '../facts/services';
import type { DocumentParts } from './document-parts';
import type { ApiInput } from './queries';

export type { ApiInput };

/** The runtime of the scripts. */
export const RUNTIME = AUTOMATION_RUNTIME.value;

/** A step of an Automation document. */
export type Step = { readonly name: string; readonly [property: string]: unknown };

/** How long a command may take to get to a host, in seconds. */
export const DELIVERY_SECONDS = 120;

/** Sends a message and ends. */
export function tellAndEnd(name: string, parts: DocumentParts, verdict: string, message: string): Step {
  const inputs = {
    Service: 'sns',
    Api: 'Publish',
    TopicArn: parts.topicArn,
    Subject: `Game day of {{ Slot }}: ${verdict}`,
    Message: `${message}\nExecution {{ automation:EXECUTION_ID }}`,
  };
  return { name, action: 'aws:executeAwsApi', inputs, onFailure: 'Abort', isEnd: true };
}

type Outputs = { readonly [name: string]: string | { readonly selector: string; readonly type: string } };

export function apiStep(name: string, inputs: ApiInput, otherwise: string, outputs: Outputs = {}): Step {
  const named = Object.entries(outputs).map(([key, value]) =>
    typeof value === 'string' ? output(key, value) : output(key, value.selector, value.type),
  );
  const { PropertySelector: _, ...request } = inputs;
  return orElse(otherwise, {
    name,
    action: 'aws:executeAwsApi',
    inputs: request,
    ...(named.length > 0 && { outputs: named }),
  });
}

export const output = (Name: string, Selector: string, Type = 'String') => ({ Name, Selector, Type });

/** A step that ends the game day elsewhere when it fails, and makes it count as failed. */
export const orElse = (otherwise: string, step: Step): Step => ({
  ...step,
  onFailure: `step:${otherwise}`,
  isCritical: true,
});
