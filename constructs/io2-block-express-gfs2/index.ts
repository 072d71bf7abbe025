export * from './host';
export * from './interface';
export * from './io2-block-express-gfs2';
export * from './props';
