// Reads {role: {KEY: value}} from standard input and prints the user data that installs these roles.
import { App, Stack } from 'aws-cdk-lib';
import { HostBundle, HostRole } from '../../constructs/host';

async function main(): Promise<void> {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  const wanted: { [role: string]: { [key: string]: string } } = JSON.parse(text);
  const bundle = new HostBundle();
  for (const [name, settings] of Object.entries(wanted)) {
    const role = Object.values(HostRole).find((known) => known === name);
    if (!role) {
      throw new Error(`there is no role '${name}'; there are ${Object.values(HostRole).join(', ')}`);
    }
    bundle.addRole(role, settings);
  }
  process.stdout.write(new Stack(new App(), 'Lab').resolve(bundle.userData().render()));
}

main().catch((problem: Error) => {
  console.error(problem.message);
  process.exitCode = 1;
});
