export * from './ephemeral-scratch';
export * from './interface';
export * from './props';
