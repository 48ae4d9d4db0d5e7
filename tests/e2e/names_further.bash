# Twenty further names: of equal length, reversed, of other lengths, of other shapes.
FURTHER_NAMES='tmpaaaaaaaa tmpzzzzzzzz tmp01234567 tmp76543210 tmp_a_b_c_d tmpd_c_b_a_ tmpqwertyui
tmpiuytrewq tmp.AbCdEfGhIj tmp.jIhGfEdCbA tmp.AbCdEf pip-install-k3x9q_ab pip-install-ba_q9x3k
pip-req-build-aaaaaaaa tmpmmmmmmmm tmpnnnnnnnn tmp.0123456789ab tmpa0a0a0a0 tmp0a0a0a0a
tmp____0000'
