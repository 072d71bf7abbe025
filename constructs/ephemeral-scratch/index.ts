export * from './ephemeral-scratch';
export * from './props';
