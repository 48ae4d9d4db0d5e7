/* The cheapest dynamic program: what any process start costs. */
int main(void)
{
	return 0;
}
