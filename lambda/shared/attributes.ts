import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** A value as it lies in the table. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain | undefined };

/** Turns a value into DynamoDB's form. Undefined members of objects are left out. */
export function toAttribute(value: Plain): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  return { M: toItem(value) };
}

/** Turns an object into a DynamoDB item. */
export function toItem(value: { [key: string]: Plain | undefined }): Record<string, AttributeValue> {
  const item: Record<string, AttributeValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) item[key] = toAttribute(member);
  }
  return item;
}

/** Turns DynamoDB's form into a value. Sets and binary values, which the map never holds, become null. */
function fromAttribute(attribute: AttributeValue): Plain {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.M !== undefined) return fromItem(attribute.M);
  return null;
}

/** Turns a DynamoDB item into an object. */
export function fromItem(item: Record<string, AttributeValue>): { [key: string]: Plain } {
  const value: { [key: string]: Plain } = {};
  for (const [key, attribute] of Object.entries(item)) value[key] = fromAttribute(attribute);
  return value;
}
