/** The same configuration; which of its keys somebody asks for is noted, from the top, by dots. */
export function watched<T extends object>(config: T, read: Set<string>, parent = ''): T {
  return new Proxy(config, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      const path = `${parent}${String(name)}`;
      read.add(path);
      const hasKeys = typeof value === 'object' && value !== null && !Array.isArray(value);
      return hasKeys ? watched(value, read, `${path}.`) : value;
    },
  });
}
